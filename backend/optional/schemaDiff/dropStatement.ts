import type { CatalogueEntry } from '../../postgres/catalogue/readCatalogue.ts'

/** Splits `"name" on public.messages` into the quoted name and the table. */
function splitOn(name: string): [string, string] {
  const at = name.lastIndexOf(' on ')
  return [name.slice(0, at), name.slice(at + 4)]
}

/** Quotes the name of a policy, which facts have in quotes that are not doubled. */
const quotePolicy = (name: string): string => `"${name.slice(1, -1).replaceAll('"', '""')}"`

/** The statement that drops the object of a fact; null for facts that are no objects. */
export function dropStatement({ kind, name, value }: CatalogueEntry, ifExists = false): string | null {
  const condition = ifExists ? 'if exists ' : ''
  switch (kind) {
    case 'policy': {
      const [policy, table] = splitOn(name)
      return `drop policy ${condition}${quotePolicy(policy)} on ${table};`
    }
    case 'trigger':
    case 'rule': {
      const [object, table] = splitOn(name)
      return `drop ${kind} ${condition}${object} on ${table};`
    }
    case 'function': {
      const isProcedure = /^create or replace procedure/i.test(value)
      return `drop ${value === 'aggregate' ? 'aggregate' : isProcedure ? 'procedure' : 'function'} ${condition}${name};`
    }
    case 'constraint': {
      const [, constraint, table] = /^(.*) of (\S+)$/.exec(name) ?? []
      return `alter table ${table} drop constraint ${constraint};`
    }
    case 'column': {
      const at = name.lastIndexOf('.')
      return `alter table ${name.slice(0, at)} drop column ${name.slice(at + 1)};`
    }
    case 'composite_type':
    case 'range_type':
    case 'type':
      return `drop type ${name};`
    case 'job':
      return `select cron.unschedule('${name.replaceAll("'", "''")}');`
    case 'publication':
      return `alter publication supabase_realtime drop table ${name};`
    case 'event_trigger':
    case 'view':
    case 'index':
    case 'table':
    case 'sequence':
    case 'domain':
    case 'schema':
    case 'extension':
    case 'statistics':
      return `drop ${kind.replace('_', ' ')} ${name};`
    default:
      return null
  }
}
