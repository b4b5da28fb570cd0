import { z } from 'zod';
import { get, routes } from './route.js';

/** The API description. Its replies are files, so it has no handlers; `openapi/` binds it. */
export const apiDocsRoutes = routes('/panel', {
  openapi: get('/api/openapi.json', {
    permission: { resource: 'docs', action: 'read' },
    summary: 'Get this document, OpenAPI 3.1',
    media: 'application/json',
    reply: z.record(z.string(), z.unknown()),
  }),
  page: get('/api-docs', {
    permission: { resource: 'docs', action: 'read' },
    summary: 'Show an interactive page of all routes',
    auth: 'session',
    media: 'text/html',
    reply: z.string(),
  }),
  file: get('/api-docs/:file', {
    permission: { resource: 'docs', action: 'read' },
    summary: 'Get the scripts and styles of the API page',
    auth: 'session',
    params: z.object({ file: z.string() }),
    media: '*/*',
    reply: z.string(),
  }),
});
