import { Box, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useLabels } from '../labels';
import { type Aside, lossesOf, switchedOff } from './aside';
import type { Draft } from './draft';

/** Says before a save what it drops, because another protocol or transport was chosen. */
export function Losses({ draft, aside }: { readonly draft: Draft; readonly aside: Aside }) {
  const { t } = useTranslation('inbounds');
  const labelOf = useLabels();
  const off = switchedOff(draft, aside);
  const nameOf = (member: string): string => {
    if (member === 'tlsSettings' || member === 'realitySettings')
      return t(member === 'tlsSettings' ? 'option.tls' : 'option.reality');
    return labelOf({ name: member }).label;
  };
  const sentences = lossesOf(draft, aside).map(({ of, members }) =>
    t('aside.lost', { name: of, members: members.map(nameOf).join(', ') }),
  );
  if (off !== null) sentences.push(t('aside.off', { security: off.toUpperCase() }));
  return (
    <Box role="status" display="contents">
      {sentences.map((sentence) => (
        <Text key={sentence} size="sm" c="var(--warn)" w="100%">
          {sentence}
        </Text>
      ))}
    </Box>
  );
}
