/** One thing that was looked at. */
export interface Finding {
  readonly what: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What is wrong is for the operator to know, and no fault of the data. */
  readonly note?: true;
}
