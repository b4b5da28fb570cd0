import '@mantine/core/styles/SimpleGrid.css';
