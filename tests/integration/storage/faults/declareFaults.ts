import type { StorageServer } from '../support/startStorage.ts'

/** What a trigger does (PL/pgSQL) when a row of an upload is written, and at commit; nothing by default. */
export interface Faults {
  atWrite?: string
  atCommit?: string
}

export const loseConnection = 'perform pg_terminate_backend(pg_backend_pid());'

/** Creates triggers on the rows of objects, and returns the function that sets their faults. */
export async function declareFaults({ sql }: StorageServer): Promise<(faults: Faults) => Promise<void>> {
  // A check of the policies has version 1, and is not a write.
  const define = (name: string, body = 'null;'): string => `
    create or replace function public.${name}() returns trigger language plpgsql security definer as $$ begin
      if coalesce(new.version, '') <> '1' then ${body} end if; return coalesce(new, old); end $$;`
  const setFaults = async ({ atWrite, atCommit }: Faults): Promise<void> => {
    await sql.query(define('at_write', atWrite) + define('at_commit', atCommit))
  }
  await setFaults({})
  await sql.query(`
    create trigger at_write before insert or update on storage.objects
      for each row execute function public.at_write();
    create constraint trigger at_commit after insert or update or delete on storage.objects
      deferrable initially deferred for each row execute function public.at_commit()`)
  return setFaults
}
