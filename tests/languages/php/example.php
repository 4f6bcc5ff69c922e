<?php

declare(strict_types=1);

namespace Shop\Cart;

use Lib\Log as L;
use function Lib\trim;

const LIMIT = 100, STEP = 2;
define('STARTED', microtime(true));

/**
 * A cart of items.
 */
#[Entity]
#[Table(name: 'carts')]
abstract class Cart extends Base implements Countable, Store
{
    use Loggable, Timed { Timed::now insteadof Loggable; }

    public const OPEN = 'open', CLOSED = 'closed';
    final protected const string KIND = 'cart';
    private ?int $count = 0, $size;
    public static array $cache = [];
    public string $title {
        get => ucfirst($this->title);
        set { $this->title = trim($value); }
    }

    #[Inject]
    public function __construct(private readonly Db $db, protected int $rate = 1, $plain = null)
    {
        $local = $rate;
        $twice = fn(int $x): int => 2 * $x;
        $log = function (string $line) use ($db) { $db->write($line); };
    }

    public function __destruct() {}

    // Adds them up.
    public static function &total(Item ...$items): static
    {
        function helper() { return 1; }
        return new class(1) extends Base {
            public $inner;
            function run() {}
        };
    }

    abstract protected function check(int $depth): ?string;
}

interface Store extends Traversable
{
    const MAX = 3;
    public function load(string $key): mixed;
}

trait Loggable
{
    protected array $lines = [];
    abstract function channel(): string;
    public function log(string $line): void { $this->lines[] = $line; }
}

enum Color: string implements HasLabel
{
    case Red = 'red';
    /** Like grass. */
    case Green = 'green';
    const DEFAULT = self::Red;

    public static function parse(string $raw): self { return self::from($raw); }
}

final readonly class Price {}

function add(int ...$all): int
{
    static $calls = 0;
    return array_sum($all);
}

if (!function_exists('str_first')) {
    function str_first(string $text): string { return $text[0]; }
}

$cart = new Price();
$onClose = function (Cart $cart) { return $cart; };

return [
    'name' => 'shop',
    'handler' => fn($request) => $request,
];
?>
<p><?= LIMIT ?></p>
