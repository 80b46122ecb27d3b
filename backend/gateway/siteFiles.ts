import { securityHeaders } from './securityHeaders.ts'

/**
 * What a static host needs beside the built application, by file name: its run-time configuration, and the headers
 * and the fallback of pages in the form that Netlify and Cloudflare Pages read.
 * @param o.site where people reach the application; `url` is where the backend answers
 */
export function siteFiles(o: {
  site: string
  url: string
  key: string
  installation: string
}): Record<string, string> {
  const block = (path: string, headers: Record<string, string>): string =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n')
  return {
    'linnet.json': `${JSON.stringify({ url: o.url, key: o.key, installation: o.installation })}\n`,
    _headers: [
      block('/*', securityHeaders(o.site, o.url)),
      block('/assets/*', { 'cache-control': 'public, max-age=31536000, immutable' }),
      block('/linnet.json', { 'cache-control': 'no-cache' }),
      // A worker from a cache would serve a build that no longer exists.
      block('/service-worker.js', { 'cache-control': 'no-cache' }),
    ].join('\n'),
    _redirects: '/* /index.html 200\n',
  }
}
