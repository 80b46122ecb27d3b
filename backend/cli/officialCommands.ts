/** Commands of the official CLI that Linnet does not have, with what to use instead. */
const sentences: Record<string, string> = {
  'db push': 'linnet migration up applies pending migrations to the running server.',
  'db diff': 'linnet migration diff NAME generates a migration from the schema files.',
  'db pull': 'Linnet does not import schemas: use pg_dump --schema-only.',
  'db lint': 'Linnet does not lint functions: use plpgsql_check.',
  'db start': 'linnet start starts the database and all services.',
  'db remote': 'linnet deploy --check compares with a hosted project.',
  'migration repair': 'Linnet does not edit the list of applied migrations: linnet migration list shows it.',
  'migration squash': 'Linnet does not squash migrations.',
  'migration fetch': 'Linnet does not fetch migrations.',
  'migration down':
    'Migrations cannot be reverted: linnet reset deletes the data, and the next start applies all migrations.',
  'functions deploy': 'Functions need no deployment here: linnet start serves supabase/functions.',
  'functions delete': "Delete the function's directory below supabase/functions.",
  'functions download': 'The functions are in supabase/functions of the project.',
  'secrets set': 'Put secrets into supabase/functions/.env, or into [edge_runtime.secrets] of config.toml.',
  'seed buckets': 'linnet start creates the buckets of [storage.buckets] in config.toml, and fills new ones.',
  init: 'No initialization is needed: mkdir -p supabase/migrations, then linnet start.',
  login: 'Linnet needs no account: use linnet start.',
  link: 'Linnet does not link projects: linnet deploy --check takes the URL of a hosted project.',
  projects: 'A project is a directory: --supabase names another one.',
  config: 'linnet start reads config.toml; linnet deploy --check compares with a hosted project.',
  inspect: 'Use linnet db psql for queries, and linnet status --verbose for metrics.',
  services: 'linnet status shows the running services.',
  storage: 'Use the storage API with the keys that linnet status prints.',
  branches: 'Linnet has no branches: --data names another database.',
}

/** The sentence for a command of the official CLI, or null. */
export function explainOfficialCommand(words: string[]): string | null {
  return sentences[words.slice(0, 2).join(' ')] ?? sentences[words[0] ?? ''] ?? null
}
