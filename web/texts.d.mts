export function checkTexts(): readonly string[];
