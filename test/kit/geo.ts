/** The bytes of a list that the core reads: one entry with a name and one range of IPv4 addresses. */
export function geoipFile(name: string, ip: readonly number[], prefix: number): Buffer {
  const cidr = Buffer.concat([field(1, Buffer.from(ip)), Buffer.from([0x10, prefix])]);
  return field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, cidr)]));
}

/** The same for one domain with all below it. */
export function geositeFile(name: string, domain: string): Buffer {
  const entry = Buffer.concat([Buffer.from([0x08, 2]), field(2, Buffer.from(domain))]);
  return field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, entry)]));
}

/** A length-delimited field of less than 128 bytes. */
function field(number: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + 2, content.length]), content]);
}

/** A file of several lists. */
export const geoFile = (...lists: readonly Buffer[]): Buffer => Buffer.concat(lists);

const DOMAINS = ['substring', 'regex', 'domain', 'full'] as const;

/** The one list of a file in readable words. Written for the tests, from the schema of the core. */
export function listOf(file: Buffer): {
  readonly name: string;
  readonly domains: readonly (readonly [string, string])[];
  readonly ranges: readonly string[];
} {
  const [entry] = fieldsIn(file);
  const members = fieldsIn(entry?.bytes ?? Buffer.alloc(0));
  const inner = members.filter(({ number }) => number === 2).map(({ bytes }) => fieldsIn(bytes));
  return {
    name: members.find(({ number }) => number === 1)?.bytes.toString() ?? '',
    domains: inner.flatMap(([first, second]) =>
      second !== undefined && first?.isNumber ? [[DOMAINS[first.value] ?? '?', second.bytes.toString()] as const] : [],
    ),
    ranges: inner.flatMap(([first, second]) =>
      second?.isNumber && first !== undefined ? [`${addressOf(first.bytes)}/${second.value}`] : [],
    ),
  };
}

function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.');
  return Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':');
}

function fieldsIn(bytes: Buffer) {
  const fields: { number: number; isNumber: boolean; value: number; bytes: Buffer }[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * shift;
      if (byte < 128) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const isNumber = tag % 8 === 0;
    const value = varint();
    fields.push({
      number: tag >> 3,
      isNumber,
      value,
      bytes: isNumber ? Buffer.alloc(0) : bytes.subarray(at, at + value),
    });
    if (!isNumber) at += value;
  }
  return fields;
}
