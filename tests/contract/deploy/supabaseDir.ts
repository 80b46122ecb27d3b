import { join } from 'node:path'

/** Linnet's own schema, which the tests take for the one that was deployed. */
export const supabaseDir = join(import.meta.dirname, '..', '..', '..', 'supabase')
