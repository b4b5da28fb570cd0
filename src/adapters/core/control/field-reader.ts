/**
 * Reads the fields of a protobuf message one after another, without an object for each: answers of the core with 200,000
 * counters are decoded every few seconds, on the thread that serves requests. Throws `RangeError` when a message is cut off.
 */
export class FieldReader {
  /** The number of the field. */
  field = 0;
  /** Where the content of a text or a message starts and ends. */
  start = 0;
  end = 0;
  /** A number. */
  value = 0;
  readonly #bytes: Buffer;
  #at = 0;
  #last: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#last = bytes.length;
  }

  /** Continues with a message inside of the bytes. */
  enter(start: number, end: number): this {
    this.#at = start;
    this.#last = end;
    return this;
  }

  /** Reads the next field; false at the end of the message. */
  next(): boolean {
    if (this.#at >= this.#last) return false;
    const key = this.#varint();
    this.field = key >>> 3;
    const wire = key & 7;
    if (wire === 0) this.value = this.#varint();
    else if (wire === 2) {
      const length = this.#varint();
      this.start = this.#at;
      this.end = this.start + length;
      this.#at = this.end;
    } else this.#at += wire === 1 ? 8 : 4;
    if (this.#at > this.#bytes.length) throw new RangeError('the answer of the core is cut off');
    return true;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let at = this.#at;
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw new RangeError('the answer of the core is cut off');
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) break;
    }
    this.#at = at;
    return value;
  }
}
