// Elements are made one by one, never from a string: nothing needs to be trusted.
export default { compilerOptions: { runes: true, fragments: 'tree' } };
