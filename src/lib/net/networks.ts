import { BlockList, isIPv4 } from 'node:net';

/** Networks (`10.0.0.0/8`, `2001:db8::/32`) and single addresses, to ask of an address whether it is in one of them. */
export class Networks {
  readonly #list = new BlockList();

  /** Throws for what is no network. */
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
