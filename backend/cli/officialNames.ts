/** What people type out of habit from the official CLI, where no command of ours means the same. */
const sentences: Record<string, string> = {
  'db push': 'linnet migration up applies pending migrations to the running house.',
  'db diff': 'Linnet writes no migrations by itself: linnet migration new makes a file to write one in.',
  'db pull': 'Linnet reads no schema from elsewhere: pg_dump --schema-only does.',
  'db dump': 'pg_dump "$(linnet db url)" writes a dump.',
  'db lint': 'Linnet does not check functions: plpgsql_check does.',
  'db start': 'linnet start starts the database with everything else.',
  'db remote': 'linnet deploy --check looks at a hosted project.',
  'migration repair': 'Linnet never changes what is recorded as applied: linnet migration list shows it.',
  'migration squash': 'Linnet joins no migrations together.',
  'migration fetch': 'Linnet reads no migrations from elsewhere.',
  'migration down': 'Migrations only go forward: linnet reset begins anew, with all of them.',
  'functions deploy': 'Functions need no deploying here: linnet start serves those of the folder.',
  'functions delete': "Delete the function's folder: linnet start serves those that are there.",
  'functions download': 'Functions are in the folder of the project.',
  'secrets set': 'Put secrets into supabase/functions/.env, or under [edge_runtime.secrets] of config.toml.',
  'seed buckets': 'A start makes the buckets of [storage.buckets] in config.toml, and fills new ones.',
  'test db': 'Linnet does not run pgTAP: psql "$(linnet db url)" -f runs a file.',
  init: 'A folder is enough: mkdir -p supabase/migrations, then linnet start.',
  login: 'There is no account: linnet start needs none.',
  link: 'There is nothing to link: linnet deploy --check takes the address of a hosted project.',
  projects: 'There are no projects but the folder: --supabase names another.',
  config: 'linnet start reads config.toml; linnet deploy --check compares with a hosted project.',
  inspect: 'psql "$(linnet db url)" asks the database; linnet status shows figures.',
  services: 'linnet status says what runs.',
  storage: 'Use the storage API, with the keys of linnet status.',
  branches: 'There are no branches: --data names another database.',
}

/** The sentence for what was typed, or null. */
export function officialName(words: string[]): string | null {
  return sentences[words.slice(0, 2).join(' ')] ?? sentences[words[0] ?? ''] ?? null
}
