// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./Base.sol";
import {Math as M} from "./Math.sol";

uint256 constant LIMIT = 100;

type Price is uint128;
using {toCents} for Price global;

struct Line {
    address item;
    uint256 amount;
}

error Empty(address cart);
event Opened(address indexed owner);

/// @title A cart of items.
/// @notice Holds what is to be paid.
abstract contract Cart is Base, Store(1) {
    using M for uint256;

    uint256 public constant STEP = 2;
    uint256 private immutable created;
    mapping(address => Line[]) public lines;
    address owner; uint256[] totals = [1, 2];

    enum State { Open, Closed }

    struct Entry {
        State state;
        mapping(uint256 => bool) paid;
    }

    event Paid(address indexed by, uint256 amount);
    error TooLate(uint256 at);

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    modifier open() virtual;

    constructor(uint256 size) Base(size) payable {
        uint256 local = size;
        created = local;
    }

    receive() external payable {}

    fallback() external payable {}

    /**
     * @dev Adds them up.
     */
    function total(uint256 rate, string memory note)
        public
        view
        virtual
        override(Base, Store)
        onlyOwner
        returns (uint256 sum)
    {
        uint256 step = STEP;
        for (uint256 i = 0; i < step; i++) sum += i;
        unchecked { sum += rate; }
    }

    function total(uint256 rate) external virtual returns (uint256);
}

interface Store is IERC165 {
    event Stored(bytes32 key);
    function load(bytes32 key) external returns (Line memory);
}

library Prices {
    uint256 internal constant SCALE = 1e18;

    // Rounds down.
    function scale(uint256 raw) internal pure returns (uint256) {
        assembly {
            function inner(x) -> y { y := x }
        }
        return raw / SCALE;
    }
}

contract Plain {}

function toCents(Price price) pure returns (uint256) {
    return Price.unwrap(price) * 100;
}
