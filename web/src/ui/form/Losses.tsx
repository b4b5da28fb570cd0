import { Box, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Loss } from '../../model/losses';

interface Props {
  readonly losses: readonly Loss[];
  readonly labelOf: (member: string, of: string) => string;
  readonly more?: readonly string[];
}

/** Says before a save what it drops, because another protocol or transport was chosen. */
export function Losses({ losses, labelOf, more = [] }: Props) {
  const { t } = useTranslation('shell');
  const sentences = losses.map(({ of, members }) =>
    t('losses', { name: of, members: members.map((member) => labelOf(member, of)).join(', ') }),
  );
  return (
    <Box role="status" display="contents">
      {[...sentences, ...more].map((sentence) => (
        <Text key={sentence} size="sm" c="var(--warn)" w="100%">
          {sentence}
        </Text>
      ))}
    </Box>
  );
}
