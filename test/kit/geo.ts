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
