import { compareSync } from 'bcryptjs';

export interface Comparison {
  readonly password: string;
  readonly hash: string;
}

export const run = ({ password, hash }: Comparison): boolean => compareSync(password, hash);
