import '@mantine/core/styles/Checkbox.css';
import '@mantine/core/styles/Drawer.css';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Switch.css';
