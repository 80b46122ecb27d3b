import type { PlainParameter } from './document.ts'

const text = (place: 'query' | 'header', name: string, description: string): PlainParameter => ({
  name,
  in: place,
  description,
  required: false,
  type: 'string',
})

const RETURNS = ['return=representation', 'return=minimal', 'return=none']
const RESOLUTIONS = ['resolution=ignore-duplicates', 'resolution=merge-duplicates']

const prefer = text('header', 'Prefer', 'Preference')

/** Parameters of the operations on all tables. */
export const sharedParameters: Record<string, PlainParameter> = {
  preferParams: prefer,
  preferReturn: { ...prefer, enum: RETURNS },
  preferCount: { ...prefer, enum: ['count=none'] },
  preferPost: { ...prefer, enum: [...RETURNS, ...RESOLUTIONS] },
  select: text('query', 'select', 'Filtering Columns'),
  on_conflict: text('query', 'on_conflict', 'On Conflict'),
  order: text('query', 'order', 'Ordering'),
  range: text('header', 'Range', 'Limiting and Pagination'),
  rangeUnit: { ...text('header', 'Range-Unit', 'Limiting and Pagination'), default: 'items' },
  offset: text('query', 'offset', 'Limiting and Pagination'),
  limit: text('query', 'limit', 'Limiting and Pagination'),
}
