import type { Client, DatabaseError } from 'pg'
import { readCatalogue, type Catalogue, type CatalogueEntry } from '../../postgres/catalogue/readCatalogue.ts'
import { runOne } from '../../postgres/schema/runStatements.ts'
import { splitStatements } from '../../postgres/schema/splitStatements.ts'
import type { Declared } from './createDeclared.ts'
import { dropStatement } from './dropStatement.ts'
import { findDependents } from './findDependents.ts'
import { findStatements, type Source, type Sources } from './findStatements.ts'
import {
  isConstraintTrigger,
  isReplaceError,
  limitGrant,
  grantTarget,
  orReplace,
  terminate,
} from './rewriteStatement.ts'

/** The generated statements, and why others could not be generated. */
export interface Generated {
  statements: string[]
  /** Sentences about objects that are in the way, and statements that fail in the migrated database. */
  refused: string[]
}

/** Kinds whose objects can be dropped and created again without a loss. */
const recreated = new Set<CatalogueEntry['kind']>(['function', 'view'])

/**
 * Generates the statements that turn the migrated database into the declared one. Every statement is tried in the migrated
 * database, in a transaction that is rolled back. A function or view that CREATE OR REPLACE can't change is dropped first,
 * with the functions, views, triggers and policies that use it; these are created again.
 */
export async function generateMigration(
  migrated: Client,
  declared: Declared,
  target: Catalogue,
): Promise<Generated> {
  const sources = findStatements(declared)
  const drops = new Set<string>()
  const skipped = new Set<string>()
  for (;;) {
    await migrated.query('begin')
    try {
      const attempt = await tryOnce({ migrated, declared: declared.client, sources, target, drops, skipped })
      if (attempt !== null) return attempt
    } finally {
      await migrated.query('rollback')
      await migrated.query('discard all')
    }
  }
}

interface Attempt {
  migrated: Client
  declared: Client
  sources: Sources
  target: Catalogue
  /** Keys of functions and views to drop first. Grows with each attempt. */
  drops: Set<string>
  /** Keys of objects that can't be dropped. */
  skipped: Set<string>
}

/** Null if another attempt is needed, for which `drops` has grown. */
async function tryOnce(o: Attempt): Promise<Generated | null> {
  const { migrated, sources, target } = o
  const generated: Generated = { statements: [], refused: [] }
  const before = await readCatalogue(migrated)
  for (const key of replacedSignatures(before, target)) o.drops.add(key)
  const dropped = new Set<string>()
  for (const key of o.drops) await drop(o, key, before, dropped, generated)
  const current = dropped.size === 0 ? before : await readCatalogue(migrated)
  const units = [
    ...unitsOfObjects(current, target, sources, o.skipped),
    ...unitsOfGrants(current, target, sources),
    ...(await unitsOfComments(o, current)),
  ].sort((a, b) => a.position - b.position)
  const done = new Set<string>()
  for (const { key, text } of units) {
    if (done.has(text)) continue
    done.add(text)
    const error = await run(migrated, text)
    if (error === null) {
      generated.statements.push(terminate(text))
      continue
    }
    const existing = key !== null && before.has(key) && recreated.has(before.get(key)!.kind)
    if (existing && isReplaceError(error) && !o.drops.has(key) && !o.skipped.has(key)) {
      o.drops.add(key)
      return null
    }
    // A comment or a grant that fails remains as a difference, or its object does.
    if (key !== null)
      generated.refused.push(
        `A statement of the schema files fails after the migrations (${error.message}): ${firstLine(text)}`,
      )
  }
  return generated
}

/** Runs a statement as a migration would. Returns its error after undoing the statement. */
async function run(client: Client, text: string): Promise<DatabaseError | null> {
  const statements = splitStatements(text)
  await client.query('savepoint statement')
  try {
    for (const statement of statements) await runOne({ client, file: '', statements, notice() {} }, statement)
    await client.query('release savepoint statement')
    return null
  } catch (error) {
    await client.query('rollback to savepoint statement')
    return error as DatabaseError
  }
}

const firstLine = (text: string): string => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('--'))
  return `${lines[0] ?? ''}${lines.length > 1 ? ' …' : ''}`
}

/** `public.f` of `public.f(integer)`. */
const nameOf = (routine: string): string => routine.slice(0, routine.indexOf('('))

/** Functions of the migrated database whose name has, in the schema files, another signature that is new. */
function replacedSignatures(current: Catalogue, target: Catalogue): string[] {
  const added = new Set<string>()
  for (const [key, fact] of target)
    if (fact.kind === 'function' && !current.has(key)) added.add(nameOf(fact.name))
  return [...current]
    .filter(([key, fact]) => fact.kind === 'function' && !target.has(key) && added.has(nameOf(fact.name)))
    .map(([key]) => key)
}

/** Drops an object, and before it the objects that use it and can be created again. */
async function drop(
  o: Attempt,
  key: string,
  before: Catalogue,
  dropped: Set<string>,
  generated: Generated,
): Promise<void> {
  if (dropped.has(key) || o.skipped.has(key)) return
  const { migrated } = o
  await migrated.query("set local search_path to ''")
  const order: string[] = []
  const blockers: string[] = []
  const visit = async (at: { classid: string; objid: string }, atKey: string): Promise<void> => {
    if (order.includes(atKey) || dropped.has(atKey)) return
    // Reserved first, because functions can use each other.
    const place = order.push(atKey) - 1
    for (const dependent of await findDependents(migrated, at)) {
      if (!dependent.isSafe) blockers.push(`the ${dependent.key}`)
      else if (!o.target.has(dependent.key) && !isReplaced(o, dependent.key))
        blockers.push(
          `the ${dependent.key}, which the schema files no longer have: ${dropStatement(before.get(dependent.key)!) ?? ''}`,
        )
      else await visit(dependent, dependent.key)
    }
    order.push(...order.splice(place, 1))
  }
  const object = await findObject(migrated, key)
  if (object !== null) await visit(object, key)
  await migrated.query('reset search_path')
  if (blockers.length > 0) {
    o.skipped.add(key)
    generated.refused.push(
      `The ${key} must be dropped and created again, but is used by ${blockers.join('; ')}. ` +
        'Write statements that change these objects.',
    )
    return
  }
  for (const one of order) {
    const text = dropStatement(before.get(one)!)!
    const error = await run(migrated, text)
    if (error !== null) {
      o.skipped.add(key)
      generated.refused.push(`The ${key} can't be dropped: ${error.message}.`)
      return
    }
    dropped.add(one)
    generated.statements.push(text)
  }
}

/** Whether the object is dropped anyway, because its signature has changed. */
const isReplaced = (o: Attempt, key: string): boolean => o.drops.has(key)

async function findObject(client: Client, key: string): Promise<{ classid: string; objid: string } | null> {
  const [kind, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
  const { rows } = await client.query<{ classid: string; objid: string }>(
    kind === 'function'
      ? `select 'pg_proc'::regclass::oid as classid, oid as objid from pg_proc
         where format('%I.%I(%s)', pronamespace::regnamespace::name, proname, pg_get_function_identity_arguments(oid)) = $1`
      : `select 'pg_class'::regclass::oid as classid, to_regclass($1)::oid as objid where to_regclass($1) is not null`,
    [name],
  )
  return rows[0] ?? null
}

/** A statement to run. */
interface Unit {
  /** Its place in the schema files. */
  position: number
  text: string
  /** The object that it creates; null for grants and comments. */
  key: string | null
}

/** Objects that the generator creates where they are missing. */
const created = new Set<CatalogueEntry['kind']>([
  'schema',
  'extension',
  'role',
  'type',
  'composite_type',
  'domain',
  'range_type',
  'table',
  'sequence',
  'view',
  'function',
  'trigger',
  'policy',
  'index',
  'rule',
  'statistics',
  'event_trigger',
  'publication',
  'publication_details',
  'other_object',
  'job',
  'bucket',
])

/** Objects whose definition the generator changes. */
const changed = new Set<CatalogueEntry['kind']>([
  'view',
  'function',
  'trigger',
  'policy',
  'rule',
  'job',
  'setting',
  'role_setting',
  'row_security',
  'default_privileges',
])

/** Objects that CREATE OR REPLACE creates or changes. */
const replaceable = new Set<CatalogueEntry['kind']>(['view', 'function', 'trigger', 'rule'])

const toUnit =
  (key: string | null, rewrite = (text: string): string => text) =>
  ({ position, text }: Source): Unit => ({ position, text: rewrite(text), key })

/** Statements that create or change objects, apart from their grants and comments. */
function unitsOfObjects(
  current: Catalogue,
  target: Catalogue,
  sources: Sources,
  skipped: ReadonlySet<string>,
): Unit[] {
  const units: Unit[] = []
  for (const [key, fact] of target) {
    const found = current.get(key)
    if (found?.value === fact.value || skipped.has(key)) continue
    const isChange = found !== undefined
    // A table brings its own columns, constraints and sequences.
    const parent = fact.of !== null && !current.has(fact.of) && fact.of.startsWith('table ')
    if (isChange ? !changed.has(fact.kind) : !created.has(fact.kind) && !changed.has(fact.kind)) continue
    if (parent && (fact.kind === 'sequence' || fact.kind === 'row_security')) continue
    if (fact.kind === 'row_security' && !fact.value.startsWith('on')) continue
    for (const source of sources.of(key)) {
      const isRecreated =
        !parent && (fact.kind === 'policy' || (fact.kind === 'trigger' && isConstraintTrigger(source.text)))
      if (isRecreated) {
        // Another database of the developer can have the object already, since "start --dev" has created it.
        units.push({ ...toUnit(key)(source), text: `${dropStatement(fact, true)}\n${source.text}` })
        units.push(...sources.commentsOf(key).map(toUnit(null)))
      } else units.push(toUnit(key, replaceable.has(fact.kind) ? orReplace : undefined)(source))
    }
  }
  return units
}

/** The rights of each object that is new, or whose rights differ. */
function unitsOfGrants(current: Catalogue, target: Catalogue, sources: Sources): Unit[] {
  const isNew = (object: string): boolean => !current.has(object)
  const objects = new Map<string, Set<string>>()
  const add = (object: string, role: string | null): void => {
    if (!objects.has(object)) objects.set(object, new Set())
    if (role !== null) objects.get(object)!.add(role)
  }
  const roleOf = ({ name, of }: CatalogueEntry): string => name.slice(0, -` on ${of!}`.length)
  for (const fact of target.values()) {
    const { kind, of } = fact
    if (kind !== 'grant' && kind !== 'owner_grant') continue
    if (isNew(of!)) add(of!, null)
    else if (current.get(`${kind} ${fact.name}`)?.value !== fact.value) add(of!, roleOf(fact))
  }
  for (const fact of current.values()) {
    if ((fact.kind === 'grant' || fact.kind === 'owner_grant') && !target.has(`${fact.kind} ${fact.name}`))
      if (target.has(fact.of!)) add(fact.of!, roleOf(fact))
  }
  for (const key of sources.granted()) if (isNew(key) && target.has(key)) add(key, null)
  const units: Unit[] = []
  for (const [object, roles] of objects) {
    const statements = sources.grantsOf(object)
    const first = statements[0]?.position ?? Infinity
    for (const role of roles) {
      const name =
        role === 'everyone' ? 'public' : `"${role.replaceAll('"', '""')}"`.replace(/^"([a-z_]+)"$/, '$1')
      units.push({ position: first, text: `revoke all on ${grantTarget(object)} from ${name}`, key: null })
    }
    for (const statement of statements) {
      const isShared = sources.objectsOf(statement.position).some((other) => !objects.has(other))
      units.push(toUnit(null, isShared ? (text) => limitGrant(text, object) : undefined)(statement))
    }
  }
  return units
}

/** Kinds of described objects that SQL calls by another word. */
const commentWords: Record<string, string> = {
  'table column': 'column',
  'view column': 'column',
  'materialized view column': 'column',
  'foreign table column': 'column',
  'composite type column': 'column',
  'table constraint': 'constraint',
  'domain constraint': 'constraint',
}

async function unitsOfComments(o: Attempt, current: Catalogue): Promise<Unit[]> {
  const units: Unit[] = []
  for (const [key, fact] of o.target) {
    if (fact.kind !== 'comment' || current.get(key)?.value === fact.value) continue
    units.push(...o.sources.of(key).map(toUnit(null)))
  }
  for (const [key, fact] of current) {
    if (fact.kind !== 'comment' || o.target.has(key)) continue
    const type = Object.keys(commentWords).find((one) => fact.name.startsWith(`${one} `))
    const object = type ? `${commentWords[type]}${fact.name.slice(type.length)}` : fact.name
    const text = `comment on ${object} is null`
    // The comments of objects that the schema files no longer have are dropped with these.
    if (await isPossible(o.declared, text)) units.push({ position: Infinity, text, key: null })
  }
  return units
}

async function isPossible(client: Client, text: string): Promise<boolean> {
  await client.query('begin')
  const error = await run(client, text)
  await client.query('rollback')
  return error === null
}
