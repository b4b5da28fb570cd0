import '@mantine/core/styles/Progress.css';
