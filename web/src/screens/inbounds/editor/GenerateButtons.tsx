import { Button } from '@mantine/core';
import IconWand from '@tabler/icons-react/dist/esm/icons/IconWand.mjs';
import { useTranslation } from 'react-i18next';
import classes from '../Inbounds.module.css';
import type { Generator } from './generators';

interface Props {
  readonly generators: readonly Generator[];
  readonly onGenerate: (generator: Generator) => void;
}

/** The buttons below a field that fill it in. */
export function GenerateButtons({ generators, onGenerate }: Props) {
  const { t, i18n } = useTranslation('inbounds');
  const labelOf = (generator: Generator): string =>
    i18n.exists(`generate.${generator}`, { ns: 'inbounds' })
      ? t(`generate.${generator}` as 'generate.selfSigned')
      : t('generate');
  return (
    <div className={classes['generators']}>
      {generators.map((generator) => (
        <Button
          key={generator}
          size="compact-xs"
          variant="subtle"
          leftSection={<IconWand size={14} aria-hidden />}
          onClick={() => onGenerate(generator)}
        >
          {labelOf(generator)}
        </Button>
      ))}
    </div>
  );
}
