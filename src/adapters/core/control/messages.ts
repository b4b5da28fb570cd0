import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader';
import { sourceAsset } from '../../../installation/installation.js';

/** A message that includes its type, Xray's equivalent of `google.protobuf.Any`. */
export interface TypedMessage {
  readonly type: string;
  readonly value: Buffer;
}

const folder = fileURLToPath(sourceAsset('adapters/core/control/proto'));

/** Every message and service of `proto/`. 64-bit numbers are read as doubles: exact up to 8 PiB. */
export const definitions: PackageDefinition = loadSync(
  readdirSync(folder).filter((name) => name.endsWith('.proto')),
  { includeDirs: [folder], keepCase: true, longs: Number, defaults: true, bytes: Buffer },
);

export function encode(type: string, value: object): Buffer {
  return message(type).serialize(value);
}

export function decode<T extends object>(type: string, bytes: Buffer): T {
  return message(type).deserialize(bytes) as T;
}

export function typed(type: string, value: object): TypedMessage {
  return { type, value: encode(type, value) };
}

function message(type: string): MessageTypeDefinition<object, object> {
  const definition = definitions[type];
  if (definition === undefined || !('serialize' in definition)) throw new Error(`no message ${type} in proto/`);
  return definition as MessageTypeDefinition<object, object>;
}
