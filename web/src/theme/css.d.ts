import 'react';

declare module 'react' {
  // Custom properties, such as the tracks of a table.
  interface CSSProperties {
    [name: `--${string}`]: string | number | undefined;
  }
}
