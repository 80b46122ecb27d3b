import { useLocation } from 'wouter'
import { ScheduledPage } from '../scheduled/ScheduledPage.tsx'
import { DraftsPage } from './DraftsPage.tsx'

/** Drafts or scheduled messages, by the address. One file, since each one that the shell names is part of its size. */
export default function UnsentPage() {
  const [path] = useLocation()
  return path === '/scheduled' ? <ScheduledPage /> : <DraftsPage />
}
