import { type AuthError, invalid } from '../http/AuthError.ts'
import type { AuthRequest } from '../http/authenticate.ts'

/** The requested page of a list; the first page is 1. */
export interface Page {
  page: number
  perPage: number
}

function readCount(c: AuthRequest, name: string, fallback: number): number {
  const text = c.req.query(name) ?? ''
  if (text === '') return fallback
  if (!/^\d{1,9}$/.test(text)) throw invalid(`Bad Pagination Parameters: ${name} must be a whole number`)
  return Number(text)
}

/**
 * Reads `page` and `per_page`. Page 0 is the first page too.
 * @throws AuthError 400 validation_failed, also for a page size of 0, on which hosted Supabase crashes
 */
export function readPage(c: AuthRequest): Page {
  const page = Math.max(1, readCount(c, 'page', 1))
  const perPage = readCount(c, 'per_page', 50)
  if (perPage === 0) throw invalid('Bad Pagination Parameters: per_page must be greater than 0')
  return { page, perPage }
}

/** Sets the total count, and links to the next and last page (RFC 8288). */
export function addPageHeaders(c: AuthRequest, { page, perPage }: Page, total: number): void {
  const last = Math.ceil(total / perPage)
  const link = (to: number, rel: string): string => {
    const url = new URL(c.req.url)
    url.searchParams.set('page', String(to))
    url.searchParams.sort()
    return `<${url.pathname.replace('/auth/v1', '')}${url.search}>; rel="${rel}"`
  }
  c.header('Link', [...(last > page ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', '))
  c.header('X-Total-Count', String(total))
}

/**
 * Whether the order is ascending: `sort=created_at asc`. Only the first of several counts, since all name the
 * same column.
 * @throws AuthError 400 validation_failed
 */
export function readAscending(c: AuthRequest): boolean {
  const orders = (c.req.queries('sort') ?? []).map((value) => {
    const [field = '', direction] = value.split(/ (.*)/s, 2)
    const badSort = (what: string): AuthError => invalid(`Bad Sort Parameters: ${what}`)
    if (field !== 'created_at') throw badSort(`bad field for sort '${field}'`)
    const order = (direction ?? 'desc').toLowerCase()
    if (order !== 'asc' && order !== 'desc') {
      throw badSort(`bad direction for sort '${direction}', only 'asc' and 'desc' allowed`)
    }
    return order
  })
  return orders[0] === 'asc'
}
