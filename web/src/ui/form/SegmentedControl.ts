// With its style sheets, which the shell does not load at the first visit.
import '@mantine/core/styles/SegmentedControl.css';
import '@mantine/core/styles/FloatingIndicator.css';

export { SegmentedControl } from '@mantine/core';
