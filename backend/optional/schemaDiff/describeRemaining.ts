import { describeDifference, type Difference } from '../../postgres/catalogue/compareExactly.ts'
import { dropStatement } from './dropStatement.ts'

/** What the author's statement does, for a kind of fact that the generator never changes. */
const advice: Partial<Record<string, string>> = {
  table: 'creates, renames or alters the table',
  table_details: 'alters the table',
  column: 'adds or alters the column',
  column_details:
    'alters the column. A new column of an existing table must also be the last one in the schema file',
  constraint: 'drops the constraint if it has changed, and adds it',
  index: 'drops the index. The command then generates the new one',
  index_details: 'alters the index',
  type: 'alters the type',
  composite_type: 'alters the type',
  domain: 'alters the domain',
  sequence_details: 'alters the sequence',
  rows: 'inserts, updates or deletes the rows',
  bucket: 'updates the bucket',
  owner: 'changes the owner',
}

/**
 * One sentence for a difference that the generated statements leave, with the statement to write where it is known.
 * @param difference between the schema files (expected) and the migrations (found)
 */
export function describeRemaining(difference: Difference): string {
  const { expected, found } = difference
  if (!expected && found) {
    const drop = dropStatement(found)
    const sentence = describeDifference(difference).replace(
      /is not expected\.$/,
      'is not in the schema files.',
    )
    return drop === null ? sentence : `${sentence} Write: ${drop}`
  }
  const what = advice[expected!.kind]
  const sentence = describeDifference(difference).replace(/is missing\.$/, 'is missing from the migrations.')
  return what === undefined ? sentence : `${sentence} Write a statement that ${what}.`
}
