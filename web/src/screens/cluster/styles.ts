import '@mantine/core/styles/Drawer.css';
