const VARINT = 0;
const DELIMITED = 2;

/** A field of bytes, as protobuf writes it. `field` is below 16. */
export function delimited(field: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([field * 8 + DELIMITED]), varint(content.length), content]);
}

/** A field with a whole number from 0. `field` is below 16. */
export function number(field: number, value: number): Buffer {
  return Buffer.concat([Buffer.from([field * 8 + VARINT]), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
