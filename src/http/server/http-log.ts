/** Where an edge says what went wrong. */
export interface HttpLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
