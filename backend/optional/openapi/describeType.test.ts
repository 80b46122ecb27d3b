import { describe, expect, it } from 'vitest'
import { describeDefault, describeType } from './describeType.ts'

describe('describeDefault', () => {
  it('returns the value of a literal', () => {
    expect(describeDefault('text', "'it''s'::text")).toBe("it's")
    expect(describeDefault('public.mood', "'sad'::public.mood")).toBe('sad')
    expect(describeDefault('character varying', "''::character varying")).toBe('')
    expect(describeDefault('boolean', 'true')).toBe(true)
    expect(describeDefault('numeric', '1.50')).toBe(1.5)
  })
  it('returns the expression for textual types', () => {
    expect(describeDefault('timestamp with time zone', 'now()')).toBe('now()')
    expect(describeDefault('text', "('a'::text || 'b'::text)")).toBe("('a'::text || 'b'::text)")
    expect(describeDefault('text', "'a'::text || 'b'::text")).toBe("'a'::text || 'b'::text")
  })
  it('returns undefined if JSON cannot represent the value', () => {
    expect(describeDefault('text', null)).toBeUndefined()
    expect(describeDefault('integer', "nextval('public.items_id_seq'::regclass)")).toBeUndefined()
    expect(describeDefault('bigint', '9223372036854775807')).toBeUndefined()
    expect(describeDefault('jsonb', "'{}'::jsonb")).toBeUndefined()
    expect(describeDefault('text[]', "'{}'::text[]")).toBeUndefined()
  })
})

describe('describeType', () => {
  it('returns the JSON type, and the SQL type as format', () => {
    expect(describeType('bigint')).toEqual({ type: 'integer', format: 'int64' })
    expect(describeType('jsonb')).toEqual({ format: 'jsonb' })
    expect(describeType('uuid')).toEqual({ type: 'string', format: 'uuid' })
    expect(describeType('smallint[]')).toEqual({
      type: 'array',
      format: 'smallint[]',
      items: { type: 'integer' },
    })
    expect(describeType('constructor')).toEqual({ type: 'string', format: 'constructor' })
  })
})
