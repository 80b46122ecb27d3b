import { createClient } from '@supabase/supabase-js'
import {
  Constants,
  type Database,
  type Enums,
  type Tables,
  type TablesInsert,
  type TablesUpdate,
  type CompositeTypes,
} from './shapes.generated.ts'

/** True if both are the same type, not only assignable. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const assertType = <Claim extends true>(..._claims: Claim[]): void => {}

/** Typical application code with the types of `shapes.sql`: compiled, never run. */
export async function validCode(): Promise<void> {
  const supabase = createClient<Database>('http://127.0.0.1', 'key')

  const books = await supabase.from('books').select('id, title, slug, state, tags, extra').throwOnError()
  const [book] = books.data
  if (!book) return
  assertType<Same<typeof book.state, 'draft' | 'in print' | 'it\'s "out"'>>()
  assertType<Same<typeof book.slug, string | null>>()
  assertType<Same<typeof book.tags, string[]>>()

  const tree = await supabase
    .from('authors')
    .select('name, initials, details:author_details(bio), books(title, subjects(label))')
    .single()
    .throwOnError()
  assertType<Same<typeof tree.data.initials, string | null>>()
  assertType<Same<typeof tree.data.details, { bio: string } | null>>()
  assertType<Same<typeof tree.data.books, { title: string; subjects: { label: string }[] }[]>>()

  const spread = await supabase.from('books').select('title, ...subjects(label)').throwOnError()
  assertType<Same<(typeof spread.data)[number]['label'], string[]>>()

  const viewed = await supabase.from('printed').select('title, authors(name)').throwOnError()
  assertType<Same<(typeof viewed.data)[number]['authors'], { name: string } | null>>()

  await supabase.from('authors').insert({ name: 'Ann' }).throwOnError()
  await supabase.from('books').insert({ title: 'One', author_id: null, state: 'in print' }).throwOnError()
  await supabase
    .from('books')
    .update({ tags: ['new'] })
    .eq('id', book.id)
    .maxAffected(1)
    .throwOnError()

  const found = await supabase.rpc('find_books', { words: 'x' }).select('title').throwOnError()
  assertType<Same<typeof found.data, { title: string }[]>>()
  const price = await supabase.rpc('price', { book: book.id }).throwOnError()
  assertType<Same<typeof price.data, { amount: number; currency: string }[]>>()
  await supabase.rpc('touch').throwOnError()

  const odd = await supabase.schema('shelf').from('class').select().throwOnError()
  assertType<Same<(typeof odd.data)[number]['a name'], string | null>>()

  const insert: TablesInsert<'book_subjects'> = { book_id: book.id, subject_id: 1 }
  const update: TablesUpdate<'books'> = { extra: { pages: [1, 2] }, isbn: null }
  const place: CompositeTypes<{ schema: 'shelf' }, 'place'> = { room: 'attic', row: null }
  const row: Tables<{ schema: 'shelf' }, 'class'> = { select: 1, 'a name': null, ünï: ['draft'] }
  const state: Enums<'state'> = Constants.public.Enums.state[1]
  await Promise.all([insert, update, place, row, state])
}
