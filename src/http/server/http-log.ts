/** The log of the HTTP servers. */
export interface HttpLog {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
