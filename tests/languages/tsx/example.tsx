import React, { forwardRef, memo, useState } from "react";

type Props<T> = {
  items: T[];
  onPick?: (item: T) => void;
};

interface State {
  open: boolean;
}

const SIZES = ["s", "m"] as const;

/** Picks one of many. */
export function Picker<T extends { id: string }>({ items, onPick }: Props<T>) {
  const [state, setState] = useState<State>({ open: false });
  const toggle = () => setState({ open: !state.open });

  function row(item: T) {
    return (
      <li key={item.id} onClick={() => onPick?.(item)}>
        {item.id}
      </li>
    );
  }

  return <ul onClick={toggle}>{items.map(row)}</ul>;
}

// A generic arrow needs the comma in TSX.
const identity = <T,>(value: T): T => value;

export const Button = forwardRef<HTMLButtonElement, { label: string }>((props, ref) => {
  return <button ref={ref}>{props.label}</button>;
});

const Title: React.FC<{ text: string }> = memo(function Title({ text }) {
  return <h1>{text}</h1>;
});

export class Legacy extends React.Component<Props<string>, State> {
  static defaultProps = { items: [] };
  state: State = { open: true };
  private ref = React.createRef<HTMLDivElement>();

  constructor(props: Props<string>) {
    super(props);
  }

  handleClick = (event: React.MouseEvent) => {
    event.preventDefault();
  };

  render() {
    return <div ref={this.ref}>{this.props.items.map((each) => <b>{each}</b>)}</div>;
  }
}

enum Mode {
  Light,
  Dark = "dark",
}

export default () => <Picker items={[]} />;
