import type { Catalogue } from './catalogue.js';

/** Chinese, simplified. */
export const zh: Catalogue = {
  sentences: {
    'the name has no address': '该名称没有地址',
    'Invalid input: expected {expected}, received {received}': '无效的值：应为 {expected}，收到 {received}',
    'Invalid input': '无效的值',
    '{what}: {why}': '{what}：{why}',
  },
};
