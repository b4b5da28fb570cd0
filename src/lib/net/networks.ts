import { BlockList, isIPv4 } from 'node:net';

/** A set of networks (`10.0.0.0/8`, `2001:db8::/32`) and single addresses. */
export class Networks {
  readonly #list = new BlockList();

  /** Throws when one is not a network. */
  constructor(cidrs: readonly string[]) {
    for (const cidr of cidrs) {
      const [address = '', bits] = cidr.split('/');
      if (bits === undefined) this.#list.addAddress(address, familyOf(address));
      else this.#list.addSubnet(address, Number(bits), familyOf(address));
    }
  }

  holds(address: string): boolean {
    return this.#list.check(address, familyOf(address));
  }
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6';
}
