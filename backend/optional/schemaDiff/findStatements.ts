import type { Declared } from './createDeclared.ts'
import {
  createsRole,
  createsTable,
  enablesRowSecurity,
  insertsBucket,
  insertsInto,
  schedulesJob,
  setsRoleSetting,
} from './rewriteStatement.ts'

/** A statement of the schema files, or the statement inside a DO block that has created the object. */
export interface Source {
  /** Its place among all statements. */
  position: number
  text: string
}

/** The statements of the schema files by the objects that they create. */
export interface Sources {
  /** The statements that create the object of a fact, without its grants and comments, in order. */
  of(key: string): Source[]
  /** The COMMENT statements about an object. */
  commentsOf(key: string): Source[]
  /** The GRANT and REVOKE statements that apply to an object, in order. */
  grantsOf(object: string): Source[]
  /** The objects that have such statements. */
  granted(): Iterable<string>
  /** The objects to which the GRANT or REVOKE at a position applies. */
  objectsOf(position: number): string[]
}

const add = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

/** Finds the statements by what PostgreSQL has recorded, and by their text where it records nothing. */
export function findStatements({ statements, commands }: Declared): Sources {
  const positions = new Map(statements.map(({ text }, position) => [text, position]))
  const created = new Map<string, Source[]>()
  const grants = new Map<string, Source[]>()
  const objects = new Map<number, string[]>()
  const comments = new Map<string, Source[]>()
  const defaultPrivileges: Source[] = []
  for (const [at, { tag, key, identity, query, inner }] of commands.entries()) {
    const whole = positions.get(query)
    if (whole === undefined) continue
    // The statements of one DO block keep their order.
    const position = whole + (inner === null ? 0 : at / (commands.length + 1))
    const source = { position, text: inner ?? query }
    if (tag === 'GRANT' || tag === 'REVOKE') {
      if (key === null) continue
      add(grants, key, source)
      add(objects, position, key)
    } else if (tag === 'ALTER DEFAULT PRIVILEGES') defaultPrivileges.push(source)
    else if (tag === 'COMMENT') {
      add(created, `comment ${identity}`, source)
      if (key !== null) add(comments, key, source)
    } else {
      const known = key === null ? [] : [key]
      for (const one of [...known, `other_object ${identity}`])
        if (!created.get(one)?.some(({ position: other }) => other === position)) add(created, one, source)
    }
  }
  const byText = (isMatch: (text: string) => boolean): Source[] =>
    statements.flatMap(({ text }, position) => (isMatch(text) ? [{ position, text }] : []))
  return {
    of(key) {
      const [kind, name] = [key.slice(0, key.indexOf(' ')), key.slice(key.indexOf(' ') + 1)]
      if (kind === 'job') return byText((text) => schedulesJob(text, name))
      if (kind === 'bucket') return byText((text) => insertsBucket(text, name))
      if (kind === 'role') return byText((text) => createsRole(text, name))
      if (kind === 'setting') return byText((text) => setsRoleSetting(text, name, 'authenticator'))
      if (kind === 'role_setting') {
        const [setting = '', role = ''] = name.split(' of ')
        return byText((text) => setsRoleSetting(text, setting, role))
      }
      if (kind === 'default_privileges') return defaultPrivileges
      if (kind === 'extension') {
        return byText((text) => new RegExp(`\\bcreate\\s+extension\\b[^;]*\\b"?${name}"?\\b`, 'i').test(text))
      }
      if (kind === 'row_security')
        return (created.get(`table ${name}`) ?? []).filter(({ text }) => enablesRowSecurity(text))
      const found = created.get(key) ?? []
      if (kind === 'table') return [...found, ...byText((text) => insertsInto(text, name))]
      // An index or a sequence that a table brings can't be created without the table.
      return found.filter(({ text }) => !createsTable(text))
    },
    commentsOf: (key) => comments.get(key) ?? [],
    grantsOf: (object) => grants.get(object) ?? [],
    granted: () => grants.keys(),
    objectsOf: (position) => objects.get(position) ?? [],
  }
}
