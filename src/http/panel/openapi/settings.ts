import { z } from 'zod';
import { secretKeys, secretsTable, settingKeys, settingsTable } from '../../../events/settings/settings.js';
import { flagNames, flagOf, plainNames, secretNames } from '../codec/setting-names.js';
import { SettingSource, settingPlaces } from '../contract/settings/details.js';

/** A setting as callers write it, with its limits and its default. What the schema transforms it to is internal. */
function described(schema: z.ZodType): z.ZodType {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return z.unknown().meta(json as z.GlobalMeta);
}

const each = (names: readonly string[], schema: z.ZodType) => Object.fromEntries(names.map((name) => [name, schema]));

/** A request body has no defaults: omitted settings keep their value. */
function written(schema: z.ZodType): z.ZodType {
  const { default: _, ...json } = schema.meta() ?? {};
  return z.unknown().meta(json).optional();
}

/** What the contract, which knows only zod, describes just as "an object". */
function build() {
  const plain = Object.fromEntries(settingKeys.map((key) => [key, described(settingsTable[key])]));
  const others = Object.fromEntries(
    Object.entries(plainNames).map(([name, key]) => [name, described(settingsTable[key])]),
  );
  const secrets = Object.fromEntries(secretKeys.map((key) => [key, described(secretsTable[key])]));
  const flags = [...secretKeys.map(flagOf), ...Object.keys(flagNames), 'hasApiToken'];
  const blanks = [...secretKeys, 'apiToken', 'tgBotToken', 'tgBotProxy'];
  return {
    /** Every key of the settings table. */
    reply: z
      .strictObject({
        ...plain,
        ...others,
        ...each(blanks, z.literal('')),
        ...each(flags, z.boolean()),
        environment: z.record(z.string(), z.object({ variable: z.string(), value: z.union([z.string(), z.number()]) })),
      })
      .meta({ id: 'Settings' }),
    /** The sources by their keys. */
    sources: z
      .strictObject({
        settings: z.strictObject(each(settingKeys, SettingSource)),
        secrets: z.strictObject(each(secretKeys, z.boolean())),
        ...settingPlaces,
      })
      .meta({ id: 'SettingSources' }),
    /** Any subset of the settings, under their names here and in 3x-ui. */
    body: z.object(
      Object.fromEntries(
        Object.entries({
          ...plain,
          ...others,
          ...secrets,
          ...Object.fromEntries(Object.entries(secretNames).map(([name, key]) => [name, described(secretsTable[key])])),
          twoFactorCode: described(z.string()),
          trustEveryProxy: described(z.boolean()),
        }).map(([name, schema]) => [name, written(schema)]),
      ),
    ),
  };
}

let built: ReturnType<typeof build> | null = null;

/** The schemas of the settings. Built when they are first needed, which is not at the start of the panel. */
export const settingSchemas = (): ReturnType<typeof build> => (built ??= build());
