import '@mantine/core/styles/Drawer.css';
import '@mantine/core/styles/Switch.css';
