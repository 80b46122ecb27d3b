/** Column types for which operators differ. */
export type Kind = 'int' | 'text' | 'bool' | 'time' | 'texts' | 'json'

export type TableName = 'birds' | 'nests'

export type Row = { id: number } & Record<string, unknown>

export const columns: Record<TableName, Record<string, Kind>> = {
  birds: {
    id: 'int',
    weight: 'int',
    song: 'text',
    rings: 'bool',
    seen: 'time',
    tags: 'texts',
    doc: 'json',
    nest_id: 'int',
  },
  nests: { id: 'int', name: 'text', height: 'int' },
}

/** A few rows with common values and nulls in each column. */
export const rows: Record<TableName, Row[]> = {
  nests: [
    { id: 1, name: 'oak', height: 4 },
    { id: 2, name: 'elm', height: null },
    { id: 3, name: null, height: 4 },
    { id: 4, name: 'Oak', height: -1 },
  ],
  birds: [
    bird(1, [10, 'ab', true, '2026-01-01T00:00:00Z', ['a', 'b'], { k: 1, l: ['x'] }, 1]),
    bird(2, [20, 'AB', false, '2026-02-01T12:00:00Z', ['b'], { k: '1' }, 1]),
    bird(3, [null, 'a', null, '2026-02-01T12:00:00Z', [], { k: null }, 2]),
    bird(4, [10, null, true, null, null, null, null]),
    bird(5, [-5, '', false, '2025-12-31T23:59:59Z', ['a'], {}, 3]),
    bird(6, [20, 'b_a', null, '2026-03-01T00:00:00Z', ['b', 'c'], [1, 'x'], 1]),
    bird(7, [0, 'a%b', true, null, ['c', 'a', 'b'], { k: { n: 1 }, l: [] }, 2]),
    bird(8, [30, 'ba"', null, '2026-01-01T00:00:00Z', null, 'x', null]),
  ],
}

function bird(id: number, values: unknown[]): Row {
  const [weight, song, rings, seen, tags, doc, nest_id] = values
  return { id, weight, song, rings, seen, tags, doc, nest_id }
}

const json = (list: Row[]): string => `'${JSON.stringify(list).replaceAll("'", "''")}'`

/** The same rows in PostgreSQL, with the collation "C". */
export const birdsSchema = `
  create table nests (id int primary key, name text collate "C", height int);
  create table birds (
    id int primary key, weight int, song text collate "C", rings boolean, seen timestamptz,
    tags text[], doc jsonb, nest_id int references nests);
  insert into nests select * from json_populate_recordset(null::nests, ${json(rows.nests)});
  insert into birds select * from json_populate_recordset(null::birds, ${json(rows.birds)});
  grant select on birds, nests to anon;`
