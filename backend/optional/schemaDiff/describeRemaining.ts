import { describeDifference, type Difference } from '../../postgres/catalogue/compareExactly.ts'
import { dropStatement } from './dropStatement.ts'

/** What to write into a migration for a kind of fact that the generator never changes. */
const advice: Partial<Record<string, string>> = {
  table: 'create, rename or alter the table',
  table_details: 'alter the table',
  column: 'add or alter the column',
  column_details:
    'alter the column; a new column of an existing table is the last one in the schema file too',
  constraint: 'add the constraint',
  index: 'drop the index; it is then created again',
  index_details: 'alter the index',
  type: 'alter the type',
  composite_type: 'alter the type',
  domain: 'alter the domain',
  sequence_details: 'alter the sequence',
  rows: 'insert, update or delete the rows',
  bucket: 'update the bucket',
  owner: 'change the owner',
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
  const sentence = describeDifference(difference).replace(/is missing\.$/, 'is missing in the migrations.')
  return what === undefined ? sentence : `${sentence} Write the statement: ${what}.`
}
