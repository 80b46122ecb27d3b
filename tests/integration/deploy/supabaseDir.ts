import { join } from 'node:path'

/** Linnet's own schema, used as the deployed one. */
export const supabaseDir = join(import.meta.dirname, '..', '..', '..', 'supabase')
