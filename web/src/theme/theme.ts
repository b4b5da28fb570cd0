import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The blue of nautical charts. */
const sea: MantineColorsTuple = [
  '#e9f4fb',
  '#d3e6f2',
  '#a3cce6',
  '#70b0da',
  '#4898d0',
  '#2f89ca',
  '#1f7fc5',
  '#0f6cae',
  '#00609d',
  '#00538b',
];

const FONT =
  '-apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Arabic", Helvetica, Arial, sans-serif';

const DIALOG = { title: { fontWeight: 600 } };

export const theme = createTheme({
  primaryColor: 'sea',
  primaryShade: 7,
  colors: { sea },
  autoContrast: true,
  luminanceThreshold: 0.35,
  fontFamily: FONT,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  headings: {
    fontFamily: FONT,
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem', lineHeight: '1.3' }, h2: { fontSize: '1rem', lineHeight: '1.4' } },
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Tooltip: { defaultProps: { withArrow: true, openDelay: 300, events: { hover: true, focus: true, touch: false } } },
    // The element that takes the first focus would be a child of the menu that is not a menu item.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.45 } }, styles: DIALOG },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.45 } }, styles: DIALOG },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Fieldset: {
      styles: {
        root: { marginInline: 0, padding: 'var(--mantine-spacing-md)' },
        // Floated, because the legend of a fieldset otherwise lies on its border and not in it, as titles of cards do.
        legend: {
          padding: 0,
          ...{ float: 'inline-start', width: '100%', marginBottom: 'var(--mantine-spacing-sm)' },
          ...{ fontWeight: 600, fontSize: 'var(--mantine-font-size-sm)' },
        },
      },
    },
    // Help below the input: inputs beside each other stand on one line.
    InputWrapper: { defaultProps: { inputWrapperOrder: ['label', 'input', 'description', 'error'] } },
    Notification: { styles: { description: { color: 'var(--mantine-color-text)' } } },
    Paper: { defaultProps: { withBorder: true } },
  },
});
