import { lazy, Suspense } from 'react';
import { addTexts } from '../../i18n/i18n';
import { screen } from './screen';

const Offer = lazy(async () => {
  const [{ Offer: component }] = await Promise.all([import('./Offer'), addTexts('setup', screen.texts)]);
  return { default: component };
});

/** The offer of the first set-up, for the overview. Empty when nothing is left to set up. */
export function SetupOffer() {
  return (
    <Suspense>
      <Offer />
    </Suspense>
  );
}
