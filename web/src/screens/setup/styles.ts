// Components that only this screen uses.
import '@mantine/core/styles/NumberInput.css';
