import { Stack } from '@mantine/core';
import { type JsonObject, withValue } from '../../../model/json';
import type { TemplateEditor } from '../draft';
import { objectsAt } from '../template';
import { withOutbound } from './provider-outbounds';
import { TunnelProvider } from './TunnelProvider';
import { VpnProvider } from './VpnProvider';

/** Two public providers of WireGuard tunnels, whose tunnels become outbounds. */
export function Providers({ editor: { template, change } }: { readonly editor: TemplateEditor }) {
  const outbounds = objectsAt(template, 'outbounds');
  const add = (outbound: JsonObject): void =>
    change(withValue(template, 'outbounds', withOutbound(outbounds, outbound)));
  const has = (tag: string): boolean => outbounds.some((one) => one['tag'] === tag);
  return (
    <Stack gap="sm">
      <TunnelProvider onAdd={add} has={has} />
      <VpnProvider onAdd={add} has={has} />
    </Stack>
  );
}
