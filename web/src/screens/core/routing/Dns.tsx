import { Paper, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { isObject, type Json, type JsonObject, valueAt, withValue } from '../../../model/json';
import { Locked } from '../../../ui/form/Locked';
import type { TemplateEditor } from '../draft';
import { type FieldDefinition, Fields } from '../Fields';

/** DNS of the core: its servers, how it asks, and names with fixed addresses. */
export function Dns({ editor: { template, change } }: { readonly editor: TemplateEditor }) {
  const { t } = useTranslation('core');
  const dns = valueAt(template, 'dns');
  const fields: readonly FieldDefinition[] = [
    {
      path: 'queryStrategy',
      label: t('field.query'),
      kind: 'select',
      options: ['', 'UseIP', 'UseIPv4', 'UseIPv6', 'UseSystem'],
    },
    { path: 'clientIp', label: t('field.clientIp'), help: t('help.clientIp'), kind: 'text' },
    { path: 'tag', label: t('field.dnsTag'), help: t('help.dnsTag'), kind: 'text' },
    { path: 'disableCache', label: t('field.noCache'), kind: 'switch' },
    { path: 'disableFallback', label: t('field.noFallback'), kind: 'switch' },
  ];
  const value = isObject(dns) ? dns : {};
  const set = (next: JsonObject): void => change(withValue(template, 'dns', next));
  return (
    <Paper p="md" component="section">
      <Locked unless="/panel/core/update">
        <Stack gap="md" maw={560}>
          <Text size="sm" c="dimmed">
            {t('dns.help')}
          </Text>
          <Servers value={value} onChange={set} />
          <Hosts value={value} onChange={set} />
          <Fields fields={fields} value={value} onChange={set} />
        </Stack>
      </Locked>
    </Paper>
  );
}

interface PartProps {
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
}

/** Plain servers are edited here; those with conditions are shown, and stay as they are. */
function Servers({ value, onChange }: PartProps) {
  const { t } = useTranslation('core');
  const list = valueAt(value, 'servers');
  const servers: readonly Json[] = Array.isArray(list) ? (list as readonly Json[]) : [];
  const plain = servers.filter((server) => typeof server === 'string');
  const conditional = servers.filter((server) => typeof server !== 'string');
  const fields: readonly FieldDefinition[] = [
    {
      path: 'servers',
      label: t('field.servers'),
      help: t('help.servers'),
      kind: 'list',
      options: ['localhost', '1.1.1.1', '8.8.8.8', 'https://1.1.1.1/dns-query', 'https://dns.google/dns-query'],
    },
  ];
  return (
    <div>
      <Fields
        fields={fields}
        value={{ servers: plain }}
        onChange={({ servers: next }) =>
          onChange(withValue(value, 'servers', [...(Array.isArray(next) ? next : []), ...conditional]))
        }
      />
      {conditional.length > 0 && (
        <Text size="xs" c="dimmed" mt={4}>
          {t('dns.conditional', { count: conditional.length })}
        </Text>
      )}
    </div>
  );
}

/** Names with fixed addresses, as pairs `name=address`. Names with several addresses stay as they are. */
function Hosts({ value, onChange }: PartProps) {
  const { t } = useTranslation('core');
  const known = valueAt(value, 'hosts');
  const hosts = isObject(known) ? known : {};
  const pairs = Object.entries(hosts).flatMap(([name, to]) => (typeof to === 'string' ? [`${name}=${to}`] : []));
  const others = Object.entries(hosts).filter(([, to]) => typeof to !== 'string');
  const fields: readonly FieldDefinition[] = [
    { path: 'hosts', label: t('field.hosts'), help: t('help.hosts'), kind: 'list' },
  ];
  return (
    <Fields
      fields={fields}
      value={{ hosts: pairs }}
      onChange={({ hosts: next }) => {
        const written = (Array.isArray(next) ? next.map(String) : []).flatMap((pair) => {
          const [name = '', ...rest] = pair.split('=');
          return name !== '' && rest.length > 0 ? [[name, rest.join('=')] as const] : [];
        });
        const all = Object.fromEntries([...others, ...written]);
        onChange(withValue(value, 'hosts', Object.keys(all).length === 0 ? undefined : all));
      }}
    />
  );
}
